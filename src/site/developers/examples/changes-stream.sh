# Each change when it happens, and who is online. -N shows at once what arrives.
# After a cut, continue with -H 'Last-Event-ID: …' and the last `id`.
curl -sN -H "Authorization: Bearer @token@" \
  '@api@/v1/changes/stream?types=match,player&presence=1'
