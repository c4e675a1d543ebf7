# SPDX-License-Identifier: BSD-2-Clause
# csv.awk - reads soak.csv for plot.awk and sum.awk, which stand behind it on the command line:
# value[COLUMN, ROW], at[ROW] (seconds), nr rows.
BEGIN { FS = "," }
NR == 1 {
	for (i = 1; i <= NF; i++)
		column[i] = $i
	next
}
{
	nr++
	for (i = 1; i <= NF; i++)
		value[column[i], nr] = $i
	at[nr] = $1
}
