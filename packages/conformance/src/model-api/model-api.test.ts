import { fixtureJson } from "../fixtures.js";
import { type Recorded, twinsSpec } from "../twin-spec.fixture.js";
import { ALL } from "./all.fixture.js";

const RECORDED = fixtureJson("capture/model-api.json.gz") as Readonly<Record<string, Recorded>>;

twinsSpec(ALL, RECORDED);
