import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../emulator/emulator.ts'
import { assertVerified, type Shop } from './live-service.ts'
import { startService, type TestService, type TestServiceOptions } from './test-service.ts'

/** The service with the real adapter, as its settings say, and the operator that it talks to. */
export type Op1Service = TestService & {
  emulator: Emulator
  /** The file that its OP1_INSTALLATIONS names. */
  installations: string
  shop(): Promise<Shop>
  verify(): Promise<void>
}

/** What one entry of OP1_INSTALLATIONS says about an operator. */
export const entryFor = (
  { url, credentials, targetEnvironment }: Pick<Emulator, 'url' | 'credentials' | 'targetEnvironment'>,
  changes: Record<string, unknown> = {},
) => ({
  ...{ id: 'ug-1', baseUrl: url, targetEnvironment, ...credentials, statusPerSecond: null },
  ...changes,
})

/** A file for OP1_INSTALLATIONS, and how to remove it. */
export function installationsFile(entries: readonly object[]): { path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'op1-'))
  const path = join(folder, 'installations.json')
  writeFileSync(path, JSON.stringify(entries))
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export async function startOp1Service(
  options: TestServiceOptions & { operator?: EmulatorOptions; entry?: Record<string, unknown> } = {},
): Promise<Op1Service> {
  const emulator = await startEmulator({ clock: 'virtual', statusCap: null, ...options.operator })
  const file = installationsFile([entryFor(emulator, options.entry)])
  const service = await startService({
    ...options,
    env: { OP1_INSTALLATIONS: file.path, ...options.env },
  }).catch(async (error) => {
    await emulator.close()
    throw error
  })
  return {
    ...service,
    emulator,
    installations: file.path,
    shop: async () => {
      const merchant = await service.merchant({ verified: true })
      return { merchant, live: service.client(merchant.keys.live), test: service.client(merchant.keys.test) }
    },
    verify: () => assertVerified(service),
    close: async () => {
      await emulator.close()
      await service.close()
      file.remove()
    },
  }
}
