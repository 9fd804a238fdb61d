# Each change when it happens, and who is online. -N shows what arrives at once. After a cut, continue with
# -H 'Last-Event-ID: …' and the last `id`.
curl -sN -H "Authorization: Bearer @token@" '@api@/v1/changes/stream?after=now&types=match,player&presence=1'
