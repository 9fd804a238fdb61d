/** An uploaded image; `hash` is the SHA-256 of its bytes in base64url. */
export interface UploadedImage {
  content_type: string;
  hash: string;
  bytes: Uint8Array;
}
