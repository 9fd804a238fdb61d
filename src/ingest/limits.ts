/** The most events that one request may hold. */
export const MAX_IN_ARRAY = 1_000;
export const MAX_IN_STREAM = 20_000;
