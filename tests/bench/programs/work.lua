-- SPDX-License-Identifier: BSD-2-Clause
-- work.lua - formats and sorts for as long as it is let: completeness.sh's LuaJIT.
for seed = 1, 1e9 do
	local all, sum = {}, 0
	for i = 1, 5000 do
		all[i] = string.format("%d", (i * 7919 + seed) % 5000)
	end
	table.sort(all)
	for i = 1, 100000 do
		sum = (sum + i * seed) % 1000003
	end
end
