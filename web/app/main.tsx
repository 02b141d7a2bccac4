import "./tokens.css";
import { render } from "preact";

function App() {
    return <main>Foliot studio</main>;
}

render(<App />, document.getElementById("app")!);
