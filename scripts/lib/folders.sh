# Long parts of scripts/test, a folder of tests or of sources after the other: finished ones are kept, so that an interrupted part
# goes on behind them. Source it after common.sh.
state_folder=$speclab_root/build/long_folders

# tree_key: a name of the tree as it stands, with what is not committed; rows of long tests are no part of it.
tree_key() {
  local rest=(. ':!results/reference/long_tests')
  { git -C "$speclab_root" rev-parse HEAD
    git -C "$speclab_root" diff HEAD -- "${rest[@]}"
    git -C "$speclab_root" ls-files --others --exclude-standard -z -- "${rest[@]}" | (cd "$speclab_root" && xargs -0 -r sha256sum)
  } | sha256sum | cut -c1-16
}

# kept_counts FILE KEY FOLDER: "passed failed skipped seconds" of a folder that was finished at this tree, or nothing.
kept_counts() { [ ! -e "$1" ] || awk -F, -v key="$2" -v folder="$3" '$1 == key && $2 == folder {print $3, $4, $5, $6; exit}' "$1"; }

# run_folders PART COMMAND FOLDER...: `COMMAND FOLDER` sets `counts` to "passed failed skipped". Sets `sums` to those of all folders and their
# seconds, also of folders that were finished by an earlier call at the same tree. A folder with a failure is not finished.
run_folders() {
  local part=$1 command=$2 state=$state_folder/$1.csv key folder begin kept i numbers total=(0 0 0 0)
  shift 2
  key=$(tree_key)
  mkdir -p "$state_folder"
  for folder in "$@"; do
    kept=$(kept_counts "$state" "$key" "$folder")
    if [ -n "$kept" ]; then
      echo "$part, $folder: finished before"
    else
      begin=$SECONDS counts=
      "$command" "$folder"
      kept="$counts $((SECONDS - begin))"
      echo "$part, $folder: passed, failed, skipped, seconds: $kept"
    fi
    read -ra numbers <<<"$kept"
    [ "${numbers[1]}" -ne 0 ] || keep_folder "$state" "$key" "$folder" "${numbers[@]}"
    for i in 0 1 2 3; do total[i]=$((total[i] + numbers[i])); done
  done
  sums="${total[*]}"
  [ "${total[1]}" -ne 0 ] || rm -f "$state"  # the next call begins anew
}

# keep_folder FILE KEY FOLDER PASSED FAILED SKIPPED SECONDS: once.
keep_folder() { [ -n "$(kept_counts "$1" "$2" "$3")" ] || (IFS=,; echo "${*:2}") >>"$1"; }
