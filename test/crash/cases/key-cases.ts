import { setTimeout as sleep } from 'node:timers/promises'
import { serving, stopServing } from '../serving.ts'
import { notKilled, PASSED_WITHIN_MS } from '../victims.ts'
import type { World } from '../world.ts'

const LIVING_KEYS = `select
  (select array_agg(k.id) from directory.api_keys k join directory.merchants m on m.id = k.merchant_id
     where m.handle = $1 and k.kind = 'test' and k.revoked_at is null) as directory,
  (select array_agg(k.id) from cell_0.api_keys k join cell_0.merchants m on m.id = k.merchant_id
     where m.handle = $1 and k.kind = 'test' and k.revoked_at is null) as cell`

/** A key is replaced, and the command dies between the directory and the cell. */
export async function whileRotating(world: World, crashPoint: string): Promise<string[]> {
  const { installation, shop } = world
  await serving(world, 'shipped')
  const rotate = ['keys', 'rotate', shop.handle, '--kind', 'test']
  const old = shop.keys.test
  const wrong = notKilled(await installation.command(rotate, { CRASH_POINT: crashPoint }), crashPoint)
  const repeated = await installation.command(rotate)
  shop.keys.test = repeated.json?.key
  const status = async (key: string) =>
    (await fetch(`${installation.url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })).status
  if ((await status(old)) !== 401) wrong.push('the old key still opens after the revoking commit')
  if ((await status(shop.keys.test)) !== 200) wrong.push('the key of the repeated rotation does not open')
  const [living] = await installation.sql(LIVING_KEYS, [shop.handle])
  const [directory, cell] = [living?.directory ?? [], living?.cell ?? []]
  if (directory.length !== 1 || cell.length !== 1 || directory[0] !== cell[0])
    wrong.push(`living keys differ: directory ${directory}, cell ${cell}`)
  return wrong
}

const OPEN_IN_CELL = `select k.id from cell_0.api_keys k where k.id = $1 and k.revoked_at is null`

/**
 * The second key of a merchant is revoked, and the command dies between the directory and the cell: the key opens nothing from
 * then on, and a background task also closes it in the cell, where it could still verify the signatures of callbacks (D10).
 */
export async function whileRevoking(world: World, crashPoint: string): Promise<string[]> {
  const { installation, payer } = world
  // A running service would close the key in its cell before this case can look.
  await stopServing(world)
  const made = await installation.command(['keys', 'create', payer.handle, '--kind', 'test'])
  if (made.code !== 0) throw new Error(`keys create: ${made.stderr}`)
  const revoke = ['keys', 'revoke', payer.handle, '--id', made.json.id]
  const wrong = notKilled(await installation.command(revoke, { CRASH_POINT: crashPoint }), crashPoint)
  if ((await installation.sql(OPEN_IN_CELL, [made.json.id])).length === 0)
    wrong.push('the key was closed in its cell before the kill')
  await serving(world, 'shipped')
  const asked = await fetch(`${installation.url}/v1/balance`, {
    headers: { authorization: `Bearer ${made.json.key}` },
  })
  if (asked.status !== 401) wrong.push(`the revoked key is answered ${asked.status}`)
  const giveUpAt = performance.now() + PASSED_WITHIN_MS
  while ((await installation.sql(OPEN_IN_CELL, [made.json.id])).length > 0) {
    if (performance.now() > giveUpAt) {
      wrong.push('the key stayed open in its cell')
      break
    }
    installation.advance(1000)
    await sleep(50)
  }
  return wrong
}
