# Sends a signed message to your receiver, as a webhook does
id=msg_1 time=$(date +%s) body='{"type":"webhook.test","timestamp":"2026-01-31T12:00:00.000Z","data":{}}'
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
signature=$(printf %s "$id.$time.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
curl -si "http://127.0.0.1:${PORT:-8000}/" -H 'Content-Type: application/json' -H "webhook-id: $id" \
  -H "webhook-timestamp: $time" -H "webhook-signature: v1,$signature" -d "$body"
