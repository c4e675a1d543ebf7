// SPDX-License-Identifier: BSD-2-Clause
// Work.java - fills trees for as long as it is let: completeness.sh's Java.
import java.util.*;

class Work {
	public static void main(String[] args) {
		for (;;) {
			Map<String, Integer> m = new TreeMap<>();
			for (int i = 0; i < 100000; i++)
				m.merge("k" + i * 7919 % 5000, 1, Integer::sum);
		}
	}
}
