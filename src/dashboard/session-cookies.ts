import { sessionCookies } from '../pages/session-cookies.ts'

/** The cookies of people who work for merchants. */
export const COOKIES = sessionCookies({
  realm: 'merchant',
  session: 'dashboard',
  browser: 'browser',
  seconds: 12 * 3600,
})
