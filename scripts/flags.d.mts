/** How the engine is to run the service, by where its database is. */
export function flagsFor(databaseUrl?: string): string[];
