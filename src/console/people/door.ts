import type { Door } from '../../pages/sign-in/door.ts'
import { BASE } from '../addresses.ts'
import { callerOf } from '../caller.ts'
import { COOKIES } from '../session-cookies.ts'
import { OPERATORS } from '../texts/people.ts'

/** The way into the console. There is no sign-up and no forgotten password: operators make operators. */
export const DOOR: Door = {
  ...{ realm: 'operator', base: BASE, title: OPERATORS.signIn, cookies: COOKIES },
  home: async () => BASE,
  actorOf: callerOf,
}
