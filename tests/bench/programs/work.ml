(* SPDX-License-Identifier: BSD-2-Clause *)
(* work.ml - fills maps, raises and handles for as long as it is let: completeness.sh's OCaml. *)
module M = Map.Make (String)

let fill seed =
  let rec go m i =
    if i = 0 then m
    else go (M.add (string_of_int (((i * 7919) + seed) mod 5000)) i m) (i - 1)
  in
  go M.empty 5000

let sum m = M.fold (fun k v n -> n + v + String.length k) m 0

let () =
  let n = ref 0 in
  for seed = 1 to max_int do
    n := !n + sum (fill seed);
    try ignore (M.find "none" (fill seed)) with Not_found -> incr n
  done;
  print_int !n
