import type { CsvRow } from '../bulk-csv.ts'

/** What a column of a list holds. */
export type ColumnUse = 'phone' | 'amount' | 'name' | 'reference' | 'channel' | 'metadata' | 'ignore'

// The words that people write above a column, in English, Luganda and Swahili, without signs and in small letters.
const WORDS: Readonly<Record<Exclude<ColumnUse, 'ignore'>, readonly string[]>> = {
  phone: [
    ...['phone', 'phones', 'phone number', 'phone numbers', 'phone no', 'phone contact', 'mobile', 'mobile number'],
    ...['mobile no', 'mobile phone', 'mobile money', 'mobile money number', 'momo', 'momo number', 'msisdn', 'number'],
    ...['tel', 'tel no', 'tel number', 'telephone', 'telephone number', 'telephone no', 'contact', 'contacts'],
    ...['contact number', 'recipient phone', 'beneficiary phone', 'wallet', 'cell', 'cell phone'],
    ...['essimu', 'simu', 'namba', 'nnamba', 'ennamba', 'namba yessimu', 'nnamba yessimu', 'ennamba yessimu'],
    ...['namba ya simu', 'nambari ya simu'],
  ],
  amount: [
    ...['amount', 'amounts', 'amount ugx', 'amount in ugx', 'amount to pay', 'amount ushs', 'amount shs', 'ugx', 'sum'],
    ...['pay', 'salary', 'net pay', 'net salary', 'wage', 'wages', 'payment', 'total amount', 'shillings'],
    ...['omuwendo', 'ssente', 'sente', 'omusaala', 'kiasi', 'pesa', 'mshahara'],
  ],
  name: [
    ...['name', 'names', 'full name', 'full names', 'recipient', 'recipient name', 'employee', 'employee name'],
    ...['staff', 'staff name', 'beneficiary', 'beneficiary name', 'payee', 'payee name', 'worker', 'customer name'],
    ...['erinnya', 'amannya', 'jina', 'majina', 'jina kamili'],
  ],
  reference: ['reference', 'ref', 'reference no', 'reference number', 'ref no', 'payment reference', 'your reference'],
  channel: ['channel'],
  metadata: ['metadata'],
}
const USES = Object.entries(WORDS) as [ColumnUse, readonly string[]][] // The keys of WORDS are uses.
const MAX_HEADING_CHARACTERS = 60

/** A heading as it is compared: small letters, no accents, signs or brackets. */
export const normalHeading = (heading: string): string =>
  heading
    .slice(0, MAX_HEADING_CHARACTERS)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/['’\p{M}]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Returns what a heading says that its column holds, or null if it is no word that is known. */
export function findUse(heading: string): ColumnUse | null {
  const name = normalHeading(heading)
  return USES.find(([, words]) => words.includes(name))?.[0] ?? null
}

/** Whether these are headings that name a phone and an amount. */
export function namesPhoneAndAmount(cells: readonly string[]): boolean {
  const uses = cells.map(findUse)
  return uses.includes('phone') && uses.includes('amount')
}

/** The headings of a list: the row above the first payment. */
export const findHeadings = (rows: readonly CsvRow[], firstLine: number): CsvRow | undefined =>
  rows.findLast(({ line }) => line < firstLine)
