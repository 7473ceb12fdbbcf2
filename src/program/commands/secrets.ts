import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { SEALED_ANSWERS, SEALED_KEYS } from '../../merchants/account/sealed-columns.ts'
import { SEALED_SECRETS } from '../../merchants/account/secrets.ts'
import { SEALED_MAILS } from '../../merchants/mails/mail.ts'
import { SEALED_FACTORS, SEALED_LINKS } from '../../merchants/people/sealed-columns.ts'
import { SEALED_VERIFICATION_ANSWERS } from '../../merchants/verification/answers.ts'
import { SEALED_DOCUMENTS } from '../../merchants/verification/documents.ts'
import { SEALED_NAME_CHECKS } from '../../merchants/verification/name-check.ts'
import { SEALED_ADDRESS_SECRETS } from '../../merchants/webhooks/addresses/address.ts'
import type { Database } from '../../platform/db/database.ts'
import { hasOldCiphertext, rewrapColumn, type SealedColumn } from '../../platform/rewrap.ts'
import { SEALED_DEVICES } from '../../reports/push/device.ts'
import {
  SEALED_DISPENSE_SECRETS,
  SEALED_SUPPLIER_KEYS,
  SEALED_SUPPLIER_SECRETS,
} from '../../selling/vending/suppliers/sealed-columns.ts'
import type { Gateway } from '../app.ts'
import { SEALED_CHECK, SEALED_LASTING_KEYS } from '../master-key.ts'
import { command, formatFacts } from './frame/command.ts'

/** Every sealed column of a cell. */
export const SEALED_IN_CELL: readonly SealedColumn[] = [
  SEALED_SECRETS,
  ...SEALED_ADDRESS_SECRETS,
  SEALED_KEYS,
  SEALED_SUPPLIER_KEYS,
  SEALED_SUPPLIER_SECRETS,
  SEALED_DISPENSE_SECRETS,
  SEALED_VERIFICATION_ANSWERS,
  SEALED_DOCUMENTS,
  SEALED_NAME_CHECKS,
  SEALED_DEVICES,
]
/** Every sealed column of the directory; the proof of the master key comes last. */
export const SEALED_IN_DIRECTORY: readonly SealedColumn[] = [
  SEALED_ANSWERS,
  SEALED_FACTORS,
  SEALED_LINKS,
  SEALED_MAILS,
  SEALED_LASTING_KEYS,
  SEALED_CHECK,
]

const rewrapCommand = command({
  usage: 'secrets rewrap',
  says: 'seal every stored secret anew with MASTER_KEY; the old one stands in MASTER_KEY_PREVIOUS meanwhile',
  async run({ gateway, actor }) {
    const rewrapped = await rewrapAll(gateway, actor)
    return {
      json: { rewrapped },
      lines: [
        ...formatFacts(rewrapped, 36),
        'Everything is sealed with MASTER_KEY. Once every process has it, MASTER_KEY_PREVIOUS can go.',
      ],
    }
  },
})

/** Seals every secret again, in many small commits. The audit row is written first, because an interrupted run is an act too. */
async function rewrapAll(gateway: Gateway, actor: Actor): Promise<Record<string, number>> {
  allow(actor, 'secrets.rewrap')
  const act = { actor, action: 'secrets.rewrap', at: gateway.clock.now(), merchantId: null } as const
  const begun = auditRow({ ...act, after: { behind: await findColumnsBehind(gateway) } })
  await gateway.directory.query(begun.statement, begun.values)
  const rewrapped: Record<string, number> = {}
  for (const [db, column] of sealedColumns(gateway))
    rewrapped[column.name] = (rewrapped[column.name] ?? 0) + (await rewrapColumn(db, gateway.vault, column))
  return rewrapped
}

/** The columns that still hold something sealed with an older key. */
export async function findColumnsBehind(gateway: Gateway): Promise<string[]> {
  const behind = await Promise.all(
    sealedColumns(gateway).map(async ([db, column]) =>
      (await hasOldCiphertext(db, gateway.vault, column)) ? [column.name] : [],
    ),
  )
  return [...new Set(behind.flat())]
}

const sealedColumns = (gateway: Gateway): [Database, SealedColumn][] => [
  ...gateway.cells.flatMap((app) => SEALED_IN_CELL.map((column): [Database, SealedColumn] => [app.db, column])),
  ...SEALED_IN_DIRECTORY.map((column): [Database, SealedColumn] => [gateway.directory, column]),
]

export const secretCommands = [rewrapCommand]
