import { cookie } from '../pages/cookies.ts'
import type { Asked } from '../pages/route.ts'
import type { Entered } from '../people/sign-up.ts'
import type { Visitor } from '../people/visitor.ts'

// The prefix binds a cookie to this very host; browsers accept it with https alone (reliability.md A67).
const nameOf = (name: string, https: boolean) => (https ? `__Host-${name}` : name)
const SESSION_SECONDS = 12 * 3600
const BROWSER_SECONDS = 400 * 24 * 3600

/** The cookie of a session. */
export const sessionCookieName = (https: boolean): string => nameOf('dashboard', https)

/** The Set-Cookie of a session under its new value. */
export const sessionCookie = (token: string, { https }: Pick<Asked, 'https'>): string =>
  cookie(sessionCookieName(https), token, { path: '/', seconds: SESSION_SECONDS, https })

export const noSessionCookie = ({ https }: Pick<Asked, 'https'>): string =>
  cookie(sessionCookieName(https), '', { path: '/', seconds: 0, https })

/** Both cookies of a browser that has signed in. */
export const enteredCookies = ({ token, browser }: Entered, asked: Pick<Asked, 'https'>): string[] => [
  sessionCookie(token, asked),
  cookie(nameOf('browser', asked.https), browser, {
    path: '/',
    seconds: BROWSER_SECONDS,
    https: asked.https,
  }),
]

/** Who stands in front of a page, signed in or not. */
export function visitorOf({ address, agent, requestId, cookies, https }: Asked): Visitor {
  const token = cookies.get(sessionCookieName(https)) || null
  const browser = cookies.get(nameOf('browser', https)) || null
  return {
    origin: address,
    agent,
    requestId,
    token,
    browser: browser !== null && browser.length <= 100 ? browser : null,
  }
}
