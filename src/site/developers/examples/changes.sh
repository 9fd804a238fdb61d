# What exists now. While `more` is true, pass `cursor` as `after` for the next page.
curl -s -H "Authorization: Bearer @token@" \
  '@api@/v1/changes?after=0&types=match,player&limit=1000'
