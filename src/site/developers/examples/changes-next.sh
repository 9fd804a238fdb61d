# 1. Only new changes: take the cursor of the present end.
CURSOR=$(curl -s -H "Authorization: Bearer @token@" '@api@/v1/changes?after=now' |
  sed 's/.*"cursor":"\([^"]*\)".*/\1/')

# 2. Later: what has changed since, one change a line, with the resources.
#    The last line has the next cursor.
curl -s -H "Authorization: Bearer @token@" -H 'Accept: application/x-ndjson' \
  "@api@/v1/changes?after=$CURSOR&types=match&expand=1"
