import { hash } from 'node:crypto';

/** An uploaded image; `hash` is the SHA-256 of its bytes in base64url. */
export interface UploadedImage {
  content_type: string;
  hash: string;
  bytes: Uint8Array;
}

/** Detects the type of an image by its first bytes; undefined if it is no PNG, JPEG or WebP. */
export function detectImageType(bytes: Uint8Array): 'image/png' | 'image/jpeg' | 'image/webp' | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  return head.startsWith('RIFF') && head.slice(8) === 'WEBP' ? 'image/webp' : undefined;
}

export const imageHash = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64url');
