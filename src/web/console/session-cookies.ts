import { sessionCookies } from '../parts/routes/session-cookies.ts'

/** The session cookies of staff. They have other names than those of merchants and a shorter life (reliability.md A68). */
export const CONSOLE_COOKIES = sessionCookies({
  realm: 'operator',
  session: 'console',
  browser: 'console-browser',
  seconds: 8 * 3600,
})
