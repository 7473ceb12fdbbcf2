import { inviteStaff } from '../../../../src/merchants/people/staff/invite-staff.ts'
import { CONSOLE_GUEST_ROUTES } from '../../../../src/web/console/console.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { MACHINE } from '../../../helpers/web/enrolling.ts'
import { consoleStates } from '../../console/states.ts'
import { consoleWorld, pagesOf } from '../../console/world.ts'
import { walkerOf } from '../../dashboard/whole/walker.ts'
import { launchBrowser, newVisitor } from '../browser.ts'
import { type Shot, shoot } from './screenshots-dashboard.ts'
import type { Picture } from './screenshots-page.ts'

const SIZES = ['phone', 'desktop'] as const

/** Every page of the console in two sizes and both themes, as an admin sees it. `words`: only of addresses with one of them. */
export async function shootConsole(folder: string, words: readonly string[]): Promise<Picture[]> {
  const service = await startService()
  const browser = await launchBrowser()
  const isWanted = ({ state }: Shot) => words.length === 0 || words.some((word) => state.includes(word))
  try {
    const world = await consoleWorld(service)
    const { link } = await inviteStaff(service.gateway, MACHINE, {
      ...{ email: 'namirembe.nnannoma@gateway.invalid', role: 'risk' },
    })
    const guests = [
      ...CONSOLE_GUEST_ROUTES.filter(({ method }) => method === 'GET').map(({ path }): Shot => {
        const address = `/console${path}`
        return { about: 'guest', state: `console${path}`, address }
      }),
      { about: 'guest', state: 'console/join with a link', address: link.slice(new URL(link).origin.length) },
    ]
    const states = Object.entries(await consoleStates(service))
    const own = [
      ...pagesOf(world).map(({ path, address }): Shot => {
        return { about: 'full', state: `console${path}`, address }
      }),
      ...states.map(([name, address]): Shot => ({ about: 'full', state: `console, ${name}`, address })),
    ]
    const taken: Picture[] = []
    for (const size of SIZES) {
      const { page, context } = await walkerOf(browser, service, { person: world.people.admin, size })
      const stranger = await newVisitor(browser, { size, own: [service.url] })
      const at = { folder, size, url: service.url }
      for (const shot of own.filter(isWanted)) taken.push(...(await shoot(page, { ...at, shot })))
      for (const shot of guests.filter(isWanted)) taken.push(...(await shoot(stranger.page, { ...at, shot })))
      await Promise.all([context.close(), stranger.context.close()])
    }
    return taken
  } finally {
    await browser.close()
    await service.close()
  }
}
