import { testEveryState } from './accessible-states.ts'

testEveryState('desktop')
