import { sessionCookies } from '../parts/routes/session-cookies.ts'

/** The cookies of people of merchants; a session lasts twelve hours. */
export const DASHBOARD_COOKIES = sessionCookies({
  realm: 'merchant',
  session: 'dashboard',
  browser: 'browser',
  seconds: 12 * 3600,
})
