export function unitTestRoots(repository: string): string[]
export function unitTests(repository: string): string[]
