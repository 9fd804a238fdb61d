/** How many events one request may bring. */
export const MOST_IN_ARRAY = 1_000;
export const MOST_IN_STREAM = 20_000;
