/** The sample network's logo: a gull over the water of the quay. */
export const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="Gullwing Quay">
  <rect width="64" height="64" rx="14" fill="#12384a"/>
  <circle cx="45" cy="20" r="7" fill="#f2b35e"/>
  <path d="M8 29c8-9 17-9 24 1 7-10 16-10 24-1-8-4-16-3-24 8-8-11-16-12-24-8z" fill="#f6f3ea"/>
  <path d="M8 45q6-5 12 0t12 0 12 0 12 0M14 53q6-5 12 0t12 0 12 0" fill="none" stroke="#4fb3bf" stroke-width="3.5" stroke-linecap="round"/>
</svg>
`;
