import type { Realm } from '../people/accounts.ts'
import type { Entered } from '../people/sign-up.ts'
import type { Visitor } from '../people/visitor.ts'
import { cookie } from './cookies.ts'
import type { Asked } from './route.ts'

/** The cookies of a surface: its session, and the mark of a browser that has signed in before. */
export type SessionCookies = {
  /** The name of the session's cookie. */
  name(https: boolean): string
  /** The Set-Cookie of a session under its new value. */
  session(token: string, asked: Pick<Asked, 'https'>): string
  noSession(asked: Pick<Asked, 'https'>): string
  /** Both cookies of a browser that has signed in. */
  entered(entered: Entered, asked: Pick<Asked, 'https'>): string[]
  /** Who stands in front of a page, signed in or not. */
  visitor(asked: Asked): Visitor
}

const BROWSER_SECONDS = 400 * 24 * 3600

// The prefix binds a cookie to this very host; browsers accept it with https alone (reliability.md A67).
const nameOf = (name: string, https: boolean) => (https ? `__Host-${name}` : name)

type Named = {
  /** Whose sessions they carry. */
  realm: Realm
  session: string
  browser: string
  /** How long a session lasts at most. */
  seconds: number
}

/** The cookies of one surface by their names. */
export function sessionCookies({ realm, seconds, ...names }: Named): SessionCookies {
  const session: SessionCookies['session'] = (token, { https }) =>
    cookie(nameOf(names.session, https), token, { path: '/', seconds, https })
  return {
    name: (https) => nameOf(names.session, https),
    session,
    noSession: ({ https }) => cookie(nameOf(names.session, https), '', { path: '/', seconds: 0, https }),
    entered: ({ token, browser }, { https }) => [
      session(token, { https }),
      cookie(nameOf(names.browser, https), browser, { path: '/', seconds: BROWSER_SECONDS, https }),
    ],
    visitor({ address, agent, requestId, cookies, https }) {
      const browser = cookies.get(nameOf(names.browser, https)) || null
      return {
        realm,
        origin: address,
        agent,
        requestId,
        token: cookies.get(nameOf(names.session, https)) || null,
        browser: browser !== null && browser.length <= 100 ? browser : null,
      }
    },
  }
}
