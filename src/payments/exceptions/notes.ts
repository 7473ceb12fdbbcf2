import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'

/** An event of an exception besides its opening and closing: a note, who took it, or an approval that was asked for. */
export type ExceptionNote = {
  number: number
  at: Date
  by: string
  kind: 'note' | 'taken' | 'asked'
  text: string
}
/** `merchantId`: 0 for an exception that is no merchant's. */
type NewNote = Omit<ExceptionNote, 'number'> & { merchantId: number; id: string }

const MAX_NOTES = 500
const ADD = statement(
  'add exception note',
  'insert into exception_notes (merchant_id, exception_id, at, by, kind, text) values ($1, $2, $3, $4, $5, $6)',
)
const NOTES_OF_EXCEPTION = statement<ExceptionNote>(
  'notes of exception',
  `select number, at, by, kind, text from exception_notes where merchant_id = $1 and exception_id = $2
   order by number limit ${MAX_NOTES}`,
)

/** Adds one note, in the database that holds the exception. */
export const addExceptionNote = ({ merchantId, id, at, by, kind, text }: NewNote): Call =>
  call(ADD, merchantId, id, at.toISOString(), by, kind, text)

/** Reads the notes of an exception, oldest first. */
export const listExceptionNotes = ({ merchantId, id }: { merchantId: number; id: string }): Call<ExceptionNote> =>
  call(NOTES_OF_EXCEPTION, merchantId, id)
