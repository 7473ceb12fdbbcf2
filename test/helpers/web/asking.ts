import type { Page } from './browser.ts'
import type { Planted } from './dashboard.ts'

/** Asks a phone for money in live mode as somebody at the till does: says yes to the first name of its holder, where there is one. */
export async function askFor(person: Planted, typed: Record<string, string>): Promise<Page> {
  const asked = await person.send(await person.get('/dashboard/ask'), '/ask', typed)
  return asked.status === 200 ? person.send(asked, '/ask') : asked
}
