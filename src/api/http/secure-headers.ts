/** Headers of every JSON answer (reliability.md A63). */
export const API_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

const EVERYWHERE = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}
const ONE_YEAR_S = 31_536_000

/** Headers that every answer carries, pages and errors included. */
export const secureHeaders = ({ https }: { https: boolean }): Record<string, string> =>
  https ? { ...EVERYWHERE, 'Strict-Transport-Security': `max-age=${ONE_YEAR_S}` } : EVERYWHERE
