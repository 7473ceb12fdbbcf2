import { sessionCookies } from '../pages/session-cookies.ts'

/** The cookies of people who work for merchants. */
export const COOKIES = sessionCookies({ session: 'dashboard', browser: 'browser' }, 12 * 3600)
