"""The files in deploy/ name what the code and the cluster of the tests name."""

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement

from cardlog.pipelines.runtime import flink

REPO = Path(__file__).parents[1]
POM = (REPO / "cluster" / "pom.xml").read_text(encoding="utf-8")
BEAM = re.findall(r"<beam.version>(.*)</beam.version>", POM)[0]
FLINK = re.findall(r"<flink.line>(.*)</flink.line>", POM)[0]
JOB_SERVER = f"apache/beam_flink{FLINK}_job_server:{BEAM}"
WORKERS_PORT = int(flink._WORKERS.rpartition(":")[2])


def documents(name: str) -> list[Any]:
    return list(yaml.safe_load_all((REPO / "deploy" / name).read_text(encoding="utf-8")))


def test_kubernetes() -> None:
    cluster, service, jobs = documents("flink.yaml")
    assert cluster["spec"]["image"] == f"flink:{FLINK}-java17"
    assert cluster["spec"]["flinkVersion"] == f"v{FLINK.replace('.', '_')}"
    main, workers = cluster["spec"]["taskManager"]["podTemplate"]["spec"]["containers"]
    assert main["name"] == "flink-main-container"  # what the operator calls its own
    assert workers["ports"] == [{"containerPort": WORKERS_PORT}]
    [job_server] = jobs["spec"]["template"]["spec"]["containers"]
    assert job_server["image"] == JOB_SERVER
    ports = {port["port"] for port in service["spec"]["ports"]}
    assert ports == {flink._JOB_SERVER_PORT, flink._JOB_SERVER_PORT - 1}
    assert ports == {port["containerPort"] for port in job_server["ports"]}
    assert {f"--job-port={max(ports)}", f"--artifact-port={min(ports)}"} <= set(job_server["args"])


def test_compose() -> None:
    [compose] = documents("compose.yaml")
    services = compose["services"]
    assert services["job-server"]["image"] == JOB_SERVER
    for number in (1, 2):
        assert services[f"workers-{number}"]["network_mode"] == f"service:task-manager-{number}"
    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [moto] = map(Requirement, project["optional-dependencies"]["cluster"])
    image, _, version = services["s3"]["image"].partition(":")
    assert image == "motoserver/moto"
    assert version in moto.specifier


def test_the_image_of_the_workers() -> None:
    text = (REPO / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    assert f"--service_port={WORKERS_PORT}" in text
    assert f"EXPOSE {WORKERS_PORT}" in text
    copied = re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE)
    assert all((REPO / path).exists() for line in copied for path in line.split())
    assert "cardlog.pipelines.terminal.precompile" in text
