# What scorehall-release and the maintainer scripts of the package share: functions of sh, to be read with `.`.
# PROGRAM is the folder of a version, UNIT a unit of systemd.

UNITS=${SCOREHALL_UNITS:-/etc/systemd/system}
COMMANDS=${SCOREHALL_COMMANDS:-/usr/local/sbin}
SETTINGS=${SCOREHALL_SETTINGS:-/etc/scorehall}
READY_WITHIN=${SCOREHALL_READY_WITHIN:-60}

# lacking PROGRAM OTHER TEXT: prints the migrations that a program lacks; an offline one unsets `together`.
lacking() {
  for file in "$2"/src/db/migrations/*.sql; do
    if [ -e "$1/src/db/migrations/${file##*/}" ]; then continue; fi
    effect=$(sed -n '1s/^-- //p' "$file")
    case $effect in online:*) ;; *) together=no ;; esac
    echo "migration ${file##*/}$3: ${effect:-offline}"
  done
}

# differences FROM TO: prints the migrations, units, commands and settings in which two programs differ, one a line, and
# whether processes of both can serve together.
differences() {
  together=yes
  lacking "$1" "$2" ''
  lacking "$2" "$1" ' is not part of it'
  for file in "$2"/deploy/systemd/*; do
    name=${file##*/}
    case $name in *.service | *.timer | scorehall | scorehall-release) ;; *) continue ;; esac
    if [ ! -e "$1/deploy/systemd/$name" ]; then echo "file deploy/systemd/$name is new"; fi
    if [ -e "$1/deploy/systemd/$name" ] && ! cmp -s "$1/deploy/systemd/$name" "$file"; then
      echo "file deploy/systemd/$name is changed"
    fi
  done
  # The rows of the table of docs/settings.md, which is made from the settings: name, default, meaning.
  awk -F ' [|] ' '
    !/^[|] `/ { next }
    FNR == NR { default_of[$1] = $2; next }
    { seen[$1] = 1; name = substr($1, 3) }
    !($1 in default_of) { print "setting " name " is new, default " $2; next }
    default_of[$1] != $2 { print "setting " name " has the default " $2 " instead of " default_of[$1] }
    END { for (row in default_of) if (!(row in seen)) print "setting " substr(row, 3) " is no longer there" }
  ' "$1/docs/settings.md" "$2/docs/settings.md"
  if [ "$together" = yes ]; then
    echo "Processes can be replaced one by one."
  else
    echo "Processes cannot be replaced one by one: stop all of them, then start the new version."
  fi
}

# outdated PROGRAM: names installed units and commands that are not those of the program, and how to install them. Fails if
# there is one.
outdated() {
  how=
  for file in "$1"/deploy/systemd/*; do
    case ${file##*/} in
      scorehall.service) places="$UNITS/scorehall.service $UNITS/scorehall@.service" mode=0644 ;;
      *.service | *.timer) places="$UNITS/${file##*/}" mode=0644 ;;
      scorehall | scorehall-release) places="$COMMANDS/${file##*/}" mode=0755 ;;
      *) continue ;;
    esac
    for place in $places; do
      if [ ! -e "$place" ] || cmp -s "$place" "$file"; then continue; fi
      echo "$place is not that of this version." >&2
      how="$how  install -m $mode $(readlink -f "$file") $place
"
    done
  done
  if [ -z "$how" ]; then return 0; fi
  printf 'Install them (your changes belong into `systemctl edit`):\n%s  systemctl daemon-reload\n' "$how" >&2
  return 1
}

# The units of the service that are enabled or run.
service_units() {
  if systemctl is-enabled --quiet scorehall.service || systemctl is-active --quiet scorehall.service; then
    echo scorehall.service
  fi
  systemctl list-units --plain --no-legend 'scorehall@*.service' | cut -d ' ' -f 1
}

internal_listen() {
  files=$SETTINGS/scorehall.env
  case $1 in *@*)
    instance=${1#*@}
    files="$files $SETTINGS/scorehall-${instance%.service}.env"
    ;;
  esac
  sed -n 's/^INTERNAL_LISTEN=//p' $files 2>/dev/null | tail -n 1 | tr -d "\"'"
}

# serves UNIT PROGRAM [COMMIT]: waits until the process of a unit is ready, and asks it whether it runs that commit, by default
# the program. Otherwise it prints why and the last line of the log, and fails.
serves() {
  listen=$(internal_listen "$1")
  deadline=$(($(date +%s) + READY_WITHIN))
  while :; do
    if answer=$(INTERNAL_LISTEN=${listen:-127.0.0.1:7404} NODE_DISABLE_COMPILE_CACHE=1 \
      "$2/node_modules/.bin/node" "$2/src/main.ts" ready --wait 2 ${3:+--commit "$3"} 2>&1); then
      return 0
    fi
    case $answer in *"is ready, but"*) break ;; esac
    if systemctl is-failed --quiet "$1" || [ "$(date +%s)" -ge "$deadline" ]; then break; fi
    # A start that fails again and again; systemd counts from the last start by hand.
    if [ "$(systemctl show "$1" --property=NRestarts --value)" -ge 3 ]; then break; fi
  done
  echo "$1: ${answer#scorehall: }" >&2
  line=$(journalctl --unit="$1" --identifier=scorehall --lines=1 --output=cat)
  echo "Last line of its log: ${line:-none}" >&2
  return 1
}

# plan COMMAND…: how a version finds the database, by its command `scorehall`. Sets `required` (how many migrations a program must
# know to use it) and `offline` (the first offline migration that it lacks, or nothing). Fails with the sentence of the command.
plan() {
  found=$("$@" migrate --check) || return 1
  applied=$(echo "$found" | awk '$1 == "applied" { print $2 }')
  required=$(echo "$found" | awk '$1 == "required" { print $2 }')
  offline=
  if [ "$applied" != 0 ]; then offline=$(echo "$found" | awk '$1 == "offline" { print $2 }'); fi
}

# knows PROGRAM NUMBER: whether a program knows that many migrations.
knows() {
  [ "$(find "$1/src/db/migrations" -name '*.sql' | wc -l)" -ge "$2" ]
}
