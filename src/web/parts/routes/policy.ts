/** The Content-Security-Policy of a page; `style` is the hash of an inlined stylesheet (reliability.md A63). */
export const pagePolicy = (style = '') =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${style}`.trim(),
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ')
