# Reads all matches from the newest to the oldest. To fetch only new matches, stop at the first id you already have.
import json
from urllib.request import Request, urlopen


def matches():
    page = "@api@/v1/matches?limit=100"
    while True:
        request = Request(page, headers={"Authorization": "Bearer @token@"})
        items = json.load(urlopen(request))
        yield from items
        if not items:
            return
        page = "@api@/v1/matches?limit=100&max_id=" + items[-1]["id"]


print(sum(1 for match in matches()), "matches")
