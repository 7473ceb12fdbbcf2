/** Wrong usage of the command line: the sentence goes to standard error, exit code 2. */
export class WrongUsage extends Error {}
