# The first page of what exists now. Pass its `cursor` as `after` to get the next one, while `more` is true.
curl -s -H "Authorization: Bearer @token@" '@api@/v1/changes?after=0&types=match,player&limit=1000'
