import { askOnce } from '../../helpers/database/ask-once.ts'
import { notKilled } from '../victims.ts'
import type { World } from '../world.ts'

const STATE = `select (select reason from directory.payout_freeze where frozen) as frozen,
  (select frozen_for from cell_1.payout_stops) as stop,
  (select array_agg(cell order by id) from directory.merchants) as cells,
  (select count(*)::int from directory.audit where action = 'cell.add' and subject = 'cell_1') as told`

/**
 * A cell is made, and the command dies between its steps. Until the cell is entered nobody knows it and no merchant comes to it; the same
 * command again finishes it, with the freeze of payouts as it is then.
 */
export async function whileMakingCell({ installation }: World, crashPoint: string): Promise<string[]> {
  const name = `crash_cell_${Math.floor(performance.now())}`
  await installation.sql(`create database ${name}`)
  const settings = {
    DATABASE_URL: installation.server.url(name),
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    CELL_MERCHANTS: '1',
  }
  const wrong: string[] = []
  const run = async (words: string, env: Record<string, string> = {}) => {
    const ran = await installation.command(words.split(' '), { ...settings, ...env })
    if (ran.code !== 0 && env.CRASH_POINT === undefined) wrong.push(`${words} ended with ${ran.code}: ${ran.stderr}`)
    return ran
  }
  const addMerchant = (handle: string) =>
    run(`merchants create --name ${handle} --email ${handle}@shops.invalid --handle ${handle}`)
  await run('migrate')
  await run('payouts freeze --reason while-it-is-made')
  wrong.push(...notKilled(await run('cells create', { CRASH_POINT: crashPoint }), crashPoint))
  const isEntered = crashPoint.startsWith('cell.entered')
  const listed = async () => ((await run('cells list')).json ?? []).map(({ cell }: any) => cell).join()
  if ((await listed()) !== (isEntered ? 'cell_0,cell_1' : 'cell_0')) wrong.push('the list names other cells')
  // The first cell is full with one, and even so nobody comes to a cell that is not entered.
  const handles = isEntered ? ['first'] : ['first', 'second']
  for (const handle of handles) await addMerchant(handle)
  await run('payouts unfreeze')
  const again = await run('cells create cell_1')
  if (again.json?.name !== 'cell_1' || again.json?.added !== !isEntered)
    wrong.push(`the same command again says ${JSON.stringify(again.json)}`)
  if ((await listed()) !== 'cell_0,cell_1') wrong.push('the cell is not listed')
  const [state] = await askOnce(settings.DATABASE_URL, STATE)
  const expected = { frozen: null, stop: null, cells: handles.map(() => 'cell_0'), told: 1 }
  if (JSON.stringify(state) !== JSON.stringify(expected)) wrong.push(`afterwards: ${JSON.stringify(state)}`)
  await run('verify')
  return wrong
}
