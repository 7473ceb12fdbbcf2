import { operatorSignedIn, type PlantedOperator } from '../helpers/web/console.ts'
import type { World } from './world.ts'

/** An operator of the world with a session, as if signed in with both factors. */
export const operatorIn = ({ installation }: World): Promise<PlantedOperator> =>
  operatorSignedIn({ ...installation, rows: installation.sql }, 'admin')
