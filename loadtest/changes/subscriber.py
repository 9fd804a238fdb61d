"""Prints the data of each event of a stream, as Python programs read it: with requests alone, or with sseclient-py."""

import sys

import requests
from sseclient import SSEClient

library, url, token = sys.argv[1:]
response = requests.get(url, headers={"Authorization": f"Bearer {token}"}, stream=True, timeout=60)
response.raise_for_status()
print("open", flush=True)
if library == "requests":
    for line in response.iter_lines(decode_unicode=True):
        if line.startswith("data: "):
            print(line[6:], flush=True)
else:
    for event in SSEClient(response).events():
        print(event.data, flush=True)
