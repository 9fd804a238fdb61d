# Walks all matches from the newest to the oldest. Stop early at the first id you know already.
import json
from urllib.request import Request, urlopen


def matches():
    page = "@api@/v1/matches?limit=100"
    while True:
        request = Request(page, headers={"Authorization": "Bearer @token@"})
        found = json.load(urlopen(request))
        yield from found
        if not found:
            return
        page = "@api@/v1/matches?limit=100&max_id=" + found[-1]["id"]


print(sum(1 for match in matches()), "matches")
