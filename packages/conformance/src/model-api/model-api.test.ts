import { fixtureJson } from "../fixtures.js";
import { type Recorded, twinsSpec } from "../twin-spec.fixture.js";
import { ALL } from "./all.fixture.js";

const RECORDED = fixtureJson("capture/model-api.json.gz") as Readonly<Record<string, Recorded>>;

// Lower precision rounds sums that are made in another order differently.
twinsSpec(ALL, RECORDED, (name) => (/half|grad|several/.test(name) ? 1 : 4));
