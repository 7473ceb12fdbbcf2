import type { Realm } from '../../../merchants/people/accounts.ts'
import type { SignInCookies } from '../../../merchants/people/sign-in/sign-up.ts'
import type { Visitor } from '../../../merchants/people/sign-in/visitor.ts'
import { formatCookie } from './cookies.ts'
import type { PageRequest } from './route.ts'

/** The two cookies of a surface: the session, and the mark of a browser that has signed in before. */
export type SessionCookies = {
  /** The name of the session's cookie. */
  name(https: boolean): string
  /** Formats the Set-Cookie of a session's new token. */
  session(token: string, request: Pick<PageRequest, 'https'>): string
  noSession(request: Pick<PageRequest, 'https'>): string
  /** Formats both cookies after a sign-in. */
  entered(entered: SignInCookies, request: Pick<PageRequest, 'https'>): string[]
  /** Reads the visitor of a page, signed in or not, from its request. */
  visitor(request: PageRequest): Visitor
}

const BROWSER_SECONDS = 400 * 24 * 3600

// The prefix binds a cookie to this host; browsers accept it only with https (reliability.md A67).
const cookieName = (name: string, https: boolean) => (https ? `__Host-${name}` : name)

type SessionCookiesInput = {
  /** The realm of the sessions: merchants' people or staff. */
  realm: Realm
  session: string
  browser: string
  /** The longest time that a session lasts. */
  seconds: number
}

/** Makes the cookies of one surface. */
export function sessionCookies({ realm, seconds, ...names }: SessionCookiesInput): SessionCookies {
  const session: SessionCookies['session'] = (token, { https }) =>
    formatCookie(cookieName(names.session, https), token, { path: '/', seconds, https })
  return {
    name: (https) => cookieName(names.session, https),
    session,
    noSession: ({ https }) => formatCookie(cookieName(names.session, https), '', { path: '/', seconds: 0, https }),
    entered: ({ token, browser }, { https }) => [
      session(token, { https }),
      formatCookie(cookieName(names.browser, https), browser, { path: '/', seconds: BROWSER_SECONDS, https }),
    ],
    visitor({ address, agent, requestId, cookies, https }) {
      const browser = cookies.get(cookieName(names.browser, https)) || null
      return {
        realm,
        origin: address,
        agent,
        requestId,
        token: cookies.get(cookieName(names.session, https)) || null,
        browser: browser !== null && browser.length <= 100 ? browser : null,
      }
    },
  }
}
