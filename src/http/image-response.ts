import type { UploadedImage } from '#platform/uploaded-image.ts';

/** Whatever the bytes are, browsers take them for an image and nothing else. */
export const IMAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'public, max-age=300',
};

interface ImageAnswer {
  body: Uint8Array<ArrayBuffer> | null;
  status: 200 | 304;
  headers: Record<string, string>;
}

/** The answer with an uploaded image, or 304 where the browser has it already. */
export function imageAnswer(
  { content_type, hash, bytes }: UploadedImage,
  ifNoneMatch: string | undefined,
): ImageAnswer {
  const headers = { ...IMAGE_HEADERS, etag: `"${hash}"` };
  if (ifNoneMatch === headers.etag) return { body: null, status: 304, headers };
  return { body: Uint8Array.from(bytes), status: 200, headers: { ...headers, 'content-type': content_type } };
}
