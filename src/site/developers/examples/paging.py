# Reads all matches from the newest to the oldest. To fetch only new matches, stop at the first id you already have.
import json, time
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def matches():
    page = "@api@/v1/matches?limit=100"
    while True:
        request = Request(page, headers={"Authorization": "Bearer @token@"})
        try:
            items = json.load(urlopen(request))
        except HTTPError as error:
            if error.code != 429:
                raise
            time.sleep(int(error.headers["Retry-After"]))
            continue
        yield from items
        if not items:
            return
        page = "@api@/v1/matches?limit=100&max_id=" + items[-1]["id"]


print(sum(1 for match in matches()), "matches")
