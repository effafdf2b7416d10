# Long parts of scripts/test, room by room: a finished room is kept, so that a part that was interrupted goes on behind it.
# Source it after common.sh. A room is a folder of tests or of sources.
rooms_folder=$speclab_root/build/long_rooms

# tree_key: a name of the tree as it stands, with what is not committed; rows of long tests are no part of it.
tree_key() {
  local rest=(. ':!results/reference/long_tests')
  { git -C "$speclab_root" rev-parse HEAD
    git -C "$speclab_root" diff HEAD -- "${rest[@]}"
    git -C "$speclab_root" ls-files --others --exclude-standard -z -- "${rest[@]}" | (cd "$speclab_root" && xargs -0 -r sha256sum)
  } | sha256sum | cut -c1-16
}

# kept_counts FILE KEY ROOM: "passed failed skipped seconds" of a room that was finished at this tree, or nothing.
kept_counts() { [ ! -e "$1" ] || awk -F, -v key="$2" -v room="$3" '$1 == key && $2 == room {print $3, $4, $5, $6; exit}' "$1"; }

# run_rooms PART COMMAND ROOM...: `COMMAND ROOM` sets `counts` to "passed failed skipped". Sets `sums` to those of all rooms and their
# seconds, also of rooms that were finished by an earlier call at the same tree. A room with a failure is not finished.
run_rooms() {
  local part=$1 command=$2 state=$rooms_folder/$1.csv key room begin kept i numbers total=(0 0 0 0)
  shift 2
  key=$(tree_key)
  mkdir -p "$rooms_folder"
  for room in "$@"; do
    kept=$(kept_counts "$state" "$key" "$room")
    if [ -n "$kept" ]; then
      echo "$part, $room: finished before"
    else
      begin=$SECONDS counts=
      "$command" "$room"
      kept="$counts $((SECONDS - begin))"
      echo "$part, $room: passed, failed, skipped, seconds: $kept"
    fi
    read -ra numbers <<<"$kept"
    [ "${numbers[1]}" -ne 0 ] || keep_room "$state" "$key" "$room" "${numbers[@]}"
    for i in 0 1 2 3; do total[i]=$((total[i] + numbers[i])); done
  done
  sums="${total[*]}"
  [ "${total[1]}" -ne 0 ] || rm -f "$state"  # the next call begins anew
}

# keep_room FILE KEY ROOM PASSED FAILED SKIPPED SECONDS: once.
keep_room() { [ -n "$(kept_counts "$1" "$2" "$3")" ] || (IFS=,; echo "${*:2}") >>"$1"; }
