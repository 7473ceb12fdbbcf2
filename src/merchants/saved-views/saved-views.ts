import type { PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { statement } from '../../platform/db/statement.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'

/** Filters of a list that a person has saved under a name, in one mode. `query` is the query string of the page. */
export type SavedView = { list: string; place: number; name: string; query: string }

const MAX_VIEWS_PER_LIST = 20
// Two saves at once may choose the same free number; the slower one tries again.
const SAVE_ATTEMPTS = 3

const OF_PERSON = 'merchant_id = $1 and person_id = $2 and mode = $3 and list = $4'
const LIST = statement<SavedView>(
  'saved views of list',
  `select list, place, name, query from saved_views where ${OF_PERSON} order by name limit ${MAX_VIEWS_PER_LIST}`,
)
const SAVE = statement<{ place: number }>(
  'save view',
  `insert into saved_views (merchant_id, person_id, mode, list, place, name, query, saved_at)
   select $1, $2, $3, $4, p.place, $5, $6, $7 from (
     select coalesce((select place from saved_views where ${OF_PERSON} and name = $5),
       (select min(n) from generate_series(1, ${MAX_VIEWS_PER_LIST}) n
        where n not in (select place from saved_views where ${OF_PERSON}))) as place) p
   where p.place is not null
   on conflict (merchant_id, person_id, mode, list, place) do update set query = excluded.query, saved_at = excluded.saved_at
     where saved_views.name = excluded.name
   returning place`,
)
const REMOVE = statement('remove view', `delete from saved_views where ${OF_PERSON} and place = $5`)

/** Reads the views that this person has saved for a list, by name. */
export const readSavedViews = (
  app: App,
  { merchantId, personId, mode }: PersonCaller,
  list: string,
): Promise<SavedView[]> => app.db.query(LIST, [merchantId, personId, mode, list])

/** Saves filters under a name, and replaces those of the same name. Throws 409 at the most views per list. */
export async function saveView(
  app: App,
  caller: PersonCaller,
  { list, name, query }: Omit<SavedView, 'place'>,
): Promise<void> {
  allow(caller, 'view.save')
  const { merchantId, personId, mode } = caller
  const values = [merchantId, personId, mode, list, name, query, app.clock.now().toISOString()]
  for (let attempt = 1; attempt <= SAVE_ATTEMPTS; attempt += 1) {
    const [saved] = await app.db.query(SAVE, values)
    if (saved) return
  }
  throw new Refusal(
    409,
    'too_many_views',
    `there are ${MAX_VIEWS_PER_LIST} views of this list already: remove one first`,
  )
}

/** Deletes a view; does nothing where there is none. */
export async function removeView(
  app: App,
  caller: PersonCaller,
  { list, place }: Pick<SavedView, 'list' | 'place'>,
): Promise<void> {
  allow(caller, 'view.remove')
  await app.db.query(REMOVE, [caller.merchantId, caller.personId, caller.mode, list, place])
}
