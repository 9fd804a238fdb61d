# The places of a player, and who is around the player by wins of this month.
curl -s -H "Authorization: Bearer @token@" '@api@/v1/players/@player@?fields=places'
curl -s -H "Authorization: Bearer @token@" '@api@/v1/leaderboards/total/month?around=@player@'
