-- SPDX-License-Identifier: BSD-2-Clause
-- work.hs - fills maps for as long as it is let: completeness.sh's Haskell.
module Main where

import Data.List (foldl')
import qualified Data.Map.Strict as M

fill :: Int -> M.Map String Int
fill seed = foldl' (\m i -> M.insertWith (+) (show ((i * 7919 + seed) `mod` 5000)) i m) M.empty [1 .. 5000]

main :: IO ()
main = print (foldl' (\n seed -> n + M.size (fill seed)) 0 [1 .. 100000000])
