import { testEveryState } from './states/accessible-states.ts'

testEveryState('desktop')
