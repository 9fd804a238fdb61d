/** An image that somebody has uploaded. */
export interface UploadedImage {
  content_type: string;
  hash: string;
  bytes: Uint8Array;
}
